# Finds the reentrant qhull library and makes the target QhullReentrant::qhull_r.
#
# qhull's own CMake package is not used: it refuses to load unless every one of its libraries and
# programs is installed, and here one library is enough.

find_path(QhullReentrant_INCLUDE_DIR libqhull_r/libqhull_r.h)
find_library(QhullReentrant_LIBRARY NAMES qhull_r)
mark_as_advanced(QhullReentrant_INCLUDE_DIR QhullReentrant_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  QhullReentrant
  REQUIRED_VARS QhullReentrant_LIBRARY QhullReentrant_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian and Ubuntu it is in the package libqhull-dev")

if(QhullReentrant_FOUND AND NOT TARGET QhullReentrant::qhull_r)
  add_library(QhullReentrant::qhull_r UNKNOWN IMPORTED)
  set_target_properties(
    QhullReentrant::qhull_r
    PROPERTIES IMPORTED_LOCATION "${QhullReentrant_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${QhullReentrant_INCLUDE_DIR}")
endif()
