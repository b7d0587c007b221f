#!/usr/bin/env bash
# `ovoid studio`: what it serves, what it does not, and that a crowd of broken visitors does no harm.
# shellcheck source=tests/frame.bash
. "$(dirname "${BASH_SOURCE[0]}")/frame.bash"

# ---- bad input --------------------------------------------------------------------------------
mkdir site empty
printf '<!doctype html><title>x</title>' >site/index.html
bad 'ovoid: studio: --port = 65536: must be from 0 to 65535' studio --folder site --port 65536
bad "ovoid: studio: --port = -1: not a whole number" studio --folder site --port -1
bad 'ovoid: studio: --folder = empty: has no index.html' studio --folder empty
bad 'ovoid: studio: --folder = nowhere: has no index.html' studio --folder nowhere
bad 'ovoid: studio: x: takes no arguments; another folder is --folder x' studio x

# ---- a site with things beside it that nobody may have ---------------------------------------
mkdir -p site/assets site/deep/er
printf 'console.log(1)' >site/assets/a.js
printf '\0asm' >site/ovoid.wasm
printf 'deep' >site/deep/er/file.txt
printf 'hidden' >site/.hidden
printf 'secret' >secret
ln -s ../secret site/link
ln -s .. site/up
ln -s /etc site/etc
mkfifo site/pipe

"$command" studio --folder site --port 0 >address 2>err &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do
    [ -s address ] && break
    if ! kill -0 $server 2>/dev/null; then break; fi
    sleep 0.1
done
case_name='ovoid studio' status=0
cp address out
if grep -q 'built without libmicrohttpd' err; then
    printf 'test_studio: built without libmicrohttpd, only bad input is tried\n'
    printf 'studio: %s passed, %s failed\n' "$passed" "$failed"
    exit $((failed > 0))
fi
port=$(grep -oE '127\.0\.0\.1:[0-9]+' address | cut -d: -f2)
check 'prints its address' [ -n "$port" ]

cat >visit.py <<'END'
"""Requests as bytes, so that nothing is tidied up on the way. Prints "ok" or what was wrong."""
import resource, socket, sys

port = int(sys.argv[1])


def ask(request):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as s:
        s.sendall(request)
        data = b""
        while chunk := s.recv(65536):
            data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    return (int(head.split()[1]) if head else 0), head.decode("latin1").lower(), body


def get(path, host=None, method="GET", extra=""):
    host = f"127.0.0.1:{port}" if host is None else host
    lines = f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{extra}\r\n"
    return ask(lines.encode("latin1"))


def serves():
    for path, kind, body in [
        ("/", "text/html", b"<!doctype html><title>x</title>"),
        ("/index.html?x=1", "text/html", b"<!doctype html><title>x</title>"),
        ("/assets/a.js", "text/javascript", b"console.log(1)"),
        ("/ovoid.wasm", "application/wasm", b"\0asm"),
        ("/deep/er/file.txt", "application/octet-stream", b"deep"),
    ]:
        code, head, got = get(path)
        assert code == 200 and kind in head and got == body, (path, code, head, got)
        for header in ["content-security-policy: default-src 'self'", "nosniff", "no-referrer"]:
            assert header in head, (path, header)
        assert "unsafe-inline" not in head and "'unsafe-eval'" not in head
    assert get("/", f"localhost:{port}")[0] == 200
    code, head, body = get("/", method="HEAD")
    assert code == 200 and body == b"" and "content-length: 31" in head, (code, head)


def withholds():
    paths = """/../secret /%2e%2e/secret /%2E%2E%2Fsecret /assets/../../secret /..%2fsecret
        /assets/%2e%2e/%2e%2e/secret /link /up/secret /etc/passwd /.hidden /assets/../index.html
        //etc/passwd /assets /assets/ /pipe /%00 /index.html%00.txt/ /..\\secret /%5c..%5csecret
        /%252e%252e/secret /none ///// /./index.html /etc%2fpasswd""".split()
    for path in paths + ["/" + "a" * 300, "/" + "a/" * 2000]:
        code, _, body = get(path)
        assert code in (400, 404, 414, 431) and b"secret" not in body and b"root:" not in body, (path, code, body)


def knows_its_name():
    for host in ["evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{port + 1}",
                 f"127.0.0.1:{port}.evil.example", f"0.0.0.0:{port}", "", f"localhost:{port}x"]:
        code, _, body = get("/", host)
        assert code in (400, 421) and b"doctype" not in body, (host, code)
    code = ask(b"GET / HTTP/1.0\r\n\r\n")[0]
    assert code in (400, 421), code


def only_reads():
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"]:
        assert get("/", method=method)[0] in (400, 405, 501), method
    assert get("/", method="POST", extra="Content-Length: 5\r\n\r\nhello")[0] in (400, 405)


def survives():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, hard), hard))
    noise = [b"", b"G", b"GET / HTTP/1.1\r\nHost:", b"\0" * 100, b"\xff" * 1000,
             b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", b"A" * 70000]
    held = []
    for i in range(1000):
        s = socket.socket()
        s.settimeout(5)
        s.connect(("127.0.0.1", port))
        try:
            s.sendall(noise[i % len(noise)])
        except OSError:
            pass
        if i % 3 == 0:
            s.close()
        else:
            held.append(s)
    code, _, body = get("/assets/a.js")
    assert code == 200 and body == b"console.log(1)", code
    for s in held:
        s.close()
    assert get("/")[0] == 200


for trial in [serves, withholds, knows_its_name, only_reads, survives]:
    try:
        trial()
        print("ok", trial.__name__)
    except Exception as error:
        print("not", trial.__name__, repr(error))
END
case_name='visitors'
python3 visit.py "$port" >out 2>&1
for trial in serves withholds knows_its_name only_reads survives; do
    check "$trial" grep -qx "ok $trial" out
done

# the loopback alone: no socket of the server listens on another address
listens() { awk -v p="$(printf '%04X' "$port")" '$4 == "0A" && $2 ~ ":" p "$" && $2 !~ /^0100007F:/ { bad = 1 } END { exit bad }' /proc/net/tcp /proc/net/tcp6; }
check 'no other address' listens
case_name='ovoid studio, the port taken'
run studio --folder site --port "$port"
check 'exit status 2' [ "$status" -eq 2 ]
check 'says so' grep -q "^ovoid: studio: cannot listen on port $port: " err
case_name='ovoid studio, ended'
kill -INT $server
wait $server
check 'ends well' [ $? -eq 0 ]

printf 'studio: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
