"""Forms that several file formats describe: polygons, swept and turned surfaces, places with scale."""
