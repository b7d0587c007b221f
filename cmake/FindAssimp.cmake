# Finds the assimp library and makes the target Assimp::assimp. Its own CMake package is not used: it
# asks for more than its C interface needs.

find_path(Assimp_INCLUDE_DIR assimp/cexport.h)
find_library(Assimp_LIBRARY NAMES assimp)
mark_as_advanced(Assimp_INCLUDE_DIR Assimp_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Assimp
  REQUIRED_VARS Assimp_LIBRARY Assimp_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian and Ubuntu it is in the package libassimp-dev")

if(Assimp_FOUND AND NOT TARGET Assimp::assimp)
  add_library(Assimp::assimp UNKNOWN IMPORTED)
  set_target_properties(
    Assimp::assimp PROPERTIES IMPORTED_LOCATION "${Assimp_LIBRARY}"
                              INTERFACE_INCLUDE_DIRECTORIES "${Assimp_INCLUDE_DIR}")
endif()
