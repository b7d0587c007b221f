# WebAssembly with clang and wasi-libc as Debian packages them: headers in
# /usr/include/wasm32-wasi, libraries in /usr/lib/wasm32-wasi. Elsewhere set OVOID_WASI_INCLUDE.

set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)

set(OVOID_WASI_INCLUDE
    "/usr/include/wasm32-wasi"
    CACHE PATH "Headers of wasi-libc")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OVOID_WASI_INCLUDE)

find_program(OVOID_WASM_CLANG NAMES clang-14 clang REQUIRED)
find_program(OVOID_WASM_AR NAMES llvm-ar-14 llvm-ar REQUIRED)
find_program(OVOID_WASM_RANLIB NAMES llvm-ranlib-14 llvm-ranlib REQUIRED)
set(CMAKE_C_COMPILER "${OVOID_WASM_CLANG}")
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
# GNU ar cannot index WebAssembly objects: the linker would find nothing in the archive.
set(CMAKE_AR "${OVOID_WASM_AR}")
set(CMAKE_RANLIB "${OVOID_WASM_RANLIB}")

# Vectors of two doubles: every browser has had them since 2023.
set(CMAKE_C_FLAGS_INIT "-nostdlibinc -isystem ${OVOID_WASI_INCLUDE} -msimd128")

# There is no program to link at configure time, only archives to make.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE NEVER)
