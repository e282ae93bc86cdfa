// Lets the search run when the site is opened from a folder: browsers start no workers there, so the worker's
// script runs in a hidden frame, with the three functions of workers that it uses.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.waiting = [];
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inner = frame.contentWindow;
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      inner.importScripts = (...names) =>
        Promise.all(
          names.map(
            (name) =>
              new Promise((done) => {
                const script = inner.document.createElement("script");
                script.src = name;
                script.onload = done;
                inner.document.body.append(script);
              }),
          ),
        );
      inner.importScripts(url).then(() => {
        this.inner = inner;
        for (const data of this.waiting) this.postMessage(data);
      });
    }
    postMessage(data) {
      if (!this.inner) this.waiting.push(data);
      else this.inner.dispatchEvent(new MessageEvent("message", { data }));
    }
    terminate() {}
  };
}
