/* What a header of Choreonoid leads to that controllers here cannot have. */

#error "solidbody's SDK is for controllers (SimpleController): this header is of a plugin, an item or a view of Choreonoid"
