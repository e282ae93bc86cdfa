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
set(CHOREONOID_BODY_PLUGIN_LIBRARIES "")
set(CHOREONOID_COMPILE_DEFINITIONS "")

# what older releases call them, and folders of its own tree, for projects that stand there
set(CNOID_PLUGIN_SUBDIR "${CHOREONOID_PLUGIN_SUBDIR}")
set(CNOID_SHARE_SUBDIR "${CHOREONOID_SHARE_SUBDIR}")
set(CNOID_BINARY_SHARE_DIR "${PROJECT_BINARY_DIR}/share")

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

# All are this one; headers of those that are not here end the compilation with a note.
foreach(name Choreonoid::CnoidBody Choreonoid::CnoidUtil CnoidBody CnoidUtil CnoidBase CnoidBodyPlugin)
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

# a library that controllers share
function(choreonoid_add_library target)
  add_library(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${target} PUBLIC ${CHOREONOID_INCLUDE_DIRS})
  if(NOT CMAKE_CXX_STANDARD)
    set_target_properties(${target} PROPERTIES CXX_STANDARD ${CHOREONOID_CXX_STANDARD} CXX_STANDARD_REQUIRED ON)
  endif()
endfunction()

# Installing and translating are of Choreonoid's own tree; in controllers' projects they mean nothing here.
function(choreonoid_set_header_files)
endfunction()
function(choreonoid_make_gettext_mofiles)
endfunction()

# What the SDK does not have is a target that is only built if it is asked for, so that the rest of a project is.
function(solidbody_leave_out kind target)
  message(STATUS "${target} is left out: ${kind} of Choreonoid are not built with solidbody's SDK")
  set(files)
  foreach(file ${ARGN})
    get_filename_component(path "${file}" ABSOLUTE)
    if(EXISTS "${path}" AND NOT IS_DIRECTORY "${path}")
      list(APPEND files "${file}")
    endif()
  endforeach()
  if(NOT files)
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp" "")
    set(files "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  endif()
  add_library(${target} SHARED EXCLUDE_FROM_ALL ${files})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()

function(choreonoid_add_plugin target)
  solidbody_leave_out(plugins ${target} ${ARGN})
endfunction()
function(add_cnoid_plugin target)
  solidbody_leave_out(plugins ${target} ${ARGN})
endfunction()
function(choreonoid_add_body_handler target)
  solidbody_leave_out("body handlers" ${target} ${ARGN})
endfunction()
function(choreonoid_add_body_customizer target)
  solidbody_leave_out("body customizers" ${target} ${ARGN})
endfunction()

set(choreonoid_FOUND TRUE)
set(CHOREONOID_FOUND TRUE)
