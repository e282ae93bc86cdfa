import { defineConfig } from "vite";

const SIMULATION = "http://127.0.0.1:8080";

/** Robot windows of old releases expect jQuery: it is served to their frames, not part of the page. */
const JQUERY = "node_modules/jquery/dist/jquery.min.js";

export default defineConfig({
  plugins: [
    {
      name: "jquery-for-robot-windows",
      async generateBundle() {
        this.emitFile({ type: "asset", fileName: "robot-window/jquery.js", source: await this.fs.readFile(JQUERY) });
      },
    },
  ],
  // also below a folder, where a notebook shows it
  base: "./",
  build: {
    outDir: "../src/solidbody/viewer/page",
    emptyOutDir: true,
    target: "es2022",
    // one script, one style sheet: nothing inline, as the server's content policy demands
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500,
  },
  server: {
    // `npm run dev` draws the simulation that `solidbody run` serves at its usual port
    proxy: {
      "/api": { target: SIMULATION, changeOrigin: true, ws: true, headers: { origin: SIMULATION } },
    },
  },
});
