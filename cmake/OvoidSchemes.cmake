# Looks for what libovoid_schemes is built on. Each library is optional; one that is missing is named
# with its Debian package, and the schemes that need it are left out. Sets OVOID_SCHEME_LIBRARIES to
# those that are there, out of lapacke, ipopt, nlopt and fcl.
#
# Belongs into the topmost folder: the C++ that FCL needs must be known wherever its users are linked.

set(OVOID_SCHEME_LIBRARIES "")
find_package(SchemeLibraries QUIET)
set(lapacke_reason "Debian: liblapacke-dev")
set(ipopt_reason "Debian: coinor-libipopt-dev")
set(nlopt_reason "Debian: libnlopt-dev")
set(fcl_reason "Debian: libfcl-dev")

if(SchemeLibraries_fcl_FOUND)
  include(CheckLanguage)
  check_language(CXX)
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
  else()
    set(SchemeLibraries_fcl_FOUND FALSE)
    set(fcl_reason "no C++ compiler, Debian: g++")
  endif()
  # The C++ compiler links what has C++ in it: with sanitizers it must be of the same make.
  if(CMAKE_CXX_COMPILER
     AND OVOID_SANITIZE
     AND NOT CMAKE_C_COMPILER_ID STREQUAL "${CMAKE_CXX_COMPILER_ID}")
    set(SchemeLibraries_fcl_FOUND FALSE)
    set(fcl_reason "sanitizers of different compilers for C and C++ do not go together")
  endif()
endif()

foreach(name lapacke ipopt nlopt fcl)
  if(SchemeLibraries_${name}_FOUND)
    list(APPEND OVOID_SCHEME_LIBRARIES ${name})
  else()
    message(STATUS "libovoid_schemes is built without ${name} (${${name}_reason})")
  endif()
endforeach()
