/**
 * @file robot_paths.c
 * @brief Where the meshes of a robot lie: relative paths, file:// and package://.
 *
 * A package is a folder with the package's name. ROS finds it through its environment; here the
 * caller may name folders, and the folders above the robot's file are looked into, since a robot's
 * file usually lies within its own package. Only regular files are found, so that no name in a file
 * makes the reader wait for a pipe or read a device.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "robot_internal.h"

char *ovi_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return strdup(".");
    }
    // "/robot.urdf" lies in "/"
    return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

char *ovi_path_join(const char *folder, const char *name) {
    size_t length = strlen(folder), size = length + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) {
        bool slash = length == 0 || folder[length - 1] == '/';
        (void)snprintf(path, size, "%s%s%s", folder, slash ? "" : "/", name);
    }
    return path;
}

/** Takes `folder`/`name` if there is such a file. False for want of memory. */
static bool try_file(const char *folder, const char *name, char **path) {
    char *candidate = ovi_path_join(folder, name);
    if (candidate == NULL) {
        return false;
    }
    struct stat there;
    if (stat(candidate, &there) == 0 && S_ISREG(there.st_mode)) {
        *path = candidate;
    } else {
        free(candidate);
    }
    return true;
}

/** Length of a folder's path without slashes at its end, and its last name. */
static size_t last_name(const char *folder, const char **name) {
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/') {
        length--;
    }
    size_t start = length;
    while (start > 0 && folder[start - 1] != '/') {
        start--;
    }
    *name = folder + start;
    return length - start;
}

/** `package` is NAME/path. The folder is the package itself, or holds it. */
static bool try_package(const char *folder, const char *package, char **path) {
    const char *name, *slash = strchr(package, '/');
    size_t length = last_name(folder, &name);
    if (slash == NULL) {
        return true;
    }
    bool itself = length == (size_t)(slash - package) && strncmp(name, package, length) == 0;
    if (itself && !try_file(folder, slash + 1, path)) {
        return false;
    }
    return *path != NULL || try_file(folder, package, path);
}

static bool find_package(const char *package, const char *folder, const ov_robot_options *options,
                         char **path) {
    for (size_t i = 0; i < options->package_count && *path == NULL; i++) {
        if (options->packages[i] != NULL && !try_package(options->packages[i], package, path)) {
            return false;
        }
    }
    char *above = *path == NULL ? realpath(folder, NULL) : NULL;
    bool good = true;
    while (above != NULL && good && *path == NULL) {
        good = try_package(above, package, path);
        char *slash = strrchr(above, '/');
        if (slash == NULL || slash[1] == '\0') {
            break;
        }
        // the last one is the root itself
        slash[slash == above ? 1 : 0] = '\0';
    }
    free(above);
    return good;
}

/** The rest of a text after a beginning, or null where it begins otherwise. */
static const char *after(const char *text, const char *beginning) {
    size_t length = strlen(beginning);
    return strncmp(text, beginning, length) == 0 ? text + length : NULL;
}

bool ovi_mesh_find(const char *file, const char *folder, const ov_robot_options *options,
                   char **path) {
    *path = NULL;
    const char *package = after(file, "package://");
    // what Gazebo calls a model is a folder just the same
    package = package != NULL ? package : after(file, "model://");
    if (package != NULL) {
        return find_package(package, folder, options, path);
    }
    const char *local = after(file, "file://localhost/");
    local = local != NULL ? local - 1 : after(file, "file://");
    local = local != NULL ? local : file;
    return try_file(local[0] == '/' ? "" : folder, local, path);
}
