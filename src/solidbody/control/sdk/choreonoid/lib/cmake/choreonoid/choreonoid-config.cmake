# find_package(choreonoid) gives the functions and variables with which projects add controllers for Choreonoid.
# Point CMAKE_PREFIX_PATH to the folder that `solidbody sdk --choreonoid` prints.
#
# Controllers are compiled against headers alone: what they call is found in the host that loads them.

get_filename_component(CHOREONOID_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(CHOREONOID_VERSION "2.3.0")
set(CHOREONOID_VERSION_MAJOR 2)
set(CHOREONOID_VERSION_MINOR 3)
set(CHOREONOID_VERSION_PATCH 0)
set(CHOREONOID_CXX_STANDARD 20)
set(CHOREONOID_PLUGIN_SUBDIR "lib/choreonoid-2.3")
set(CHOREONOID_PLUGIN_DIR "${CHOREONOID_PREFIX}/${CHOREONOID_PLUGIN_SUBDIR}")
set(CHOREONOID_SHARE_SUBDIR "share/choreonoid-2.3")
set(CHOREONOID_SHARE_DIR "${CHOREONOID_PREFIX}/${CHOREONOID_SHARE_SUBDIR}")
set(CHOREONOID_LIBRARY_DIRS "${CHOREONOID_PREFIX}/lib")
set(CHOREONOID_LIBRARIES "")
set(CHOREONOID_UTIL_LIBRARIES "")
set(CHOREONOID_BODY_LIBRARIES "")

find_path(SOLIDBODY_EIGEN Eigen/Core
  PATHS "$ENV{EIGEN3_INCLUDE_DIR}" /usr/include/eigen3 /usr/local/include/eigen3 /opt/homebrew/include/eigen3)
if(NOT SOLIDBODY_EIGEN)
  set(choreonoid_FOUND FALSE)
  set(choreonoid_NOT_FOUND_MESSAGE
    "Choreonoid's controllers need the headers of Eigen 3 (apt install libeigen3-dev, on Debian and Ubuntu)")
  return()
endif()
set(CHOREONOID_INCLUDE_DIRS "${CHOREONOID_PREFIX}/include" "${SOLIDBODY_EIGEN}")
set(EIGEN_INCLUDE_DIRS "${SOLIDBODY_EIGEN}")

foreach(name Choreonoid::CnoidBody Choreonoid::CnoidUtil CnoidBody CnoidUtil)
  if(NOT TARGET ${name})
    add_library(${name} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${CHOREONOID_INCLUDE_DIRS}"
      INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${SOLIDBODY_EIGEN}")
    if(APPLE)
      set_target_properties(${name} PROPERTIES INTERFACE_LINK_OPTIONS "-undefined;dynamic_lookup")
    endif()
  endif()
endforeach()

function(choreonoid_add_simple_controller target)
  add_library(${target} SHARED ${ARGN})
  target_link_libraries(${target} CnoidBody)
  if(SOLIDBODY_OUTPUT)
    set(output "${SOLIDBODY_OUTPUT}")
  else()
    set(output "${PROJECT_BINARY_DIR}/${CHOREONOID_PLUGIN_SUBDIR}/simplecontroller")
  endif()
  if(NOT CMAKE_CXX_STANDARD)
    set_target_properties(${target} PROPERTIES CXX_STANDARD ${CHOREONOID_CXX_STANDARD} CXX_STANDARD_REQUIRED ON)
  endif()
  set_target_properties(${target} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY "${output}")
  install(TARGETS ${target} LIBRARY DESTINATION ${CHOREONOID_PLUGIN_SUBDIR}/simplecontroller)
endfunction()

# the name of older releases
function(add_cnoid_simple_controller)
  choreonoid_add_simple_controller(${ARGV})
endfunction()

# Installing and translating are of Choreonoid's own tree; in controllers' projects they mean nothing here.
function(choreonoid_set_header_files)
endfunction()

function(choreonoid_add_plugin target)
  message(WARNING "${target}: plugins of Choreonoid are not built with solidbody's SDK; it has controllers alone")
endfunction()
function(choreonoid_add_body_handler target)
  message(WARNING "${target}: body handlers of Choreonoid are not built with solidbody's SDK")
endfunction()
function(choreonoid_add_body_customizer target)
  message(WARNING "${target}: body customizers of Choreonoid are not built with solidbody's SDK")
endfunction()

set(choreonoid_FOUND TRUE)
set(CHOREONOID_FOUND TRUE)
