# find_package(SolidbodyController) gives the target Solidbody::Controller: headers and libController,
# for programs in C and in C++. Point CMAKE_PREFIX_PATH to the folder that `solidbody sdk` prints.

get_filename_component(_solidbody_sdk "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
find_library(SolidbodyController_LIBRARY Controller PATHS "${_solidbody_sdk}/lib/controller" NO_DEFAULT_PATH)

if(NOT SolidbodyController_LIBRARY)
  set(SolidbodyController_FOUND FALSE)
  set(SolidbodyController_NOT_FOUND_MESSAGE "libController is not built: python -m solidbody.contact.build")
elseif(NOT TARGET Solidbody::Controller)
  add_library(Solidbody::Controller SHARED IMPORTED)
  set_target_properties(Solidbody::Controller PROPERTIES
    IMPORTED_LOCATION "${SolidbodyController_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${_solidbody_sdk}/include/controller/c;${_solidbody_sdk}/include/controller/cpp")
  if(UNIX)
    set_property(TARGET Solidbody::Controller PROPERTY INTERFACE_LINK_LIBRARIES m)
  endif()
endif()
