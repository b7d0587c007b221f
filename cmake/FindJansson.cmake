# Finds the jansson library and makes the target Jansson::jansson.

find_path(Jansson_INCLUDE_DIR jansson.h)
find_library(Jansson_LIBRARY NAMES jansson)
mark_as_advanced(Jansson_INCLUDE_DIR Jansson_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Jansson
  REQUIRED_VARS Jansson_LIBRARY Jansson_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "on Debian and Ubuntu it is in the package libjansson-dev")

if(Jansson_FOUND AND NOT TARGET Jansson::jansson)
  add_library(Jansson::jansson UNKNOWN IMPORTED)
  set_target_properties(
    Jansson::jansson PROPERTIES IMPORTED_LOCATION "${Jansson_LIBRARY}"
                                INTERFACE_INCLUDE_DIRECTORIES "${Jansson_INCLUDE_DIR}")
endif()
