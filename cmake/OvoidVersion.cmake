# The version has one home, the umbrella header; the build reads it from there.

function(ovoid_read_version header result)
  file(STRINGS "${header}" lines REGEX "^#define OV_VERSION_(MAJOR|MINOR|PATCH) [0-9]+$")
  set(version "")
  foreach(part MAJOR MINOR PATCH)
    if(NOT lines MATCHES "OV_VERSION_${part} ([0-9]+)")
      message(FATAL_ERROR "${header} does not define OV_VERSION_${part}")
    endif()
    list(APPEND version ${CMAKE_MATCH_1})
  endforeach()
  list(JOIN version "." version)
  set(${result}
      ${version}
      PARENT_SCOPE)
  # A changed header must reconfigure the build, else the version of the packages goes stale.
  set_property(
    DIRECTORY
    APPEND
    PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
endfunction()
