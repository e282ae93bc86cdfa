// Runs before everything else in the frame of a robot window: connects it with the page around it.
(() => {
  "use strict";
  const page = window.parent;
  const robot = new URLSearchParams(location.search).get("name") ?? "";
  /** Where the files of the window are: host, "robot-windows", secret. */
  const folder = location.href.split("/", 5).join("/") + "/";
  /** Texts that came before the window listened. */
  let waiting = [];
  const windows = new Set();

  const tell = (message) => page.postMessage(message, "*");

  function deliver(text) {
    for (const item of windows) item.receive(text, robot);
  }

  class RobotWindow {
    constructor(onready) {
      this.name = robot;
      windows.add(this);
      // `receive` is set after this: what waits comes once the present script has ended
      setTimeout(() => {
        const texts = waiting;
        waiting = [];
        texts.forEach(deliver);
        if (typeof onready === "function") onready();
      });
    }

    send(message) {
      tell({ kind: "send", text: String(message) });
    }

    receive(message, name) {
      console.log(`Robot "${name}" says: ${message}`);
    }

    setTitle(title) {
      document.title = String(title);
      tell({ kind: "title", text: String(title) });
    }
  }

  window.addEventListener("message", (event) => {
    if (event.source !== page || typeof event.data?.text !== "string") return;
    if (windows.size) deliver(event.data.text);
    else waiting.push(event.data.text);
  });

  // what the window cannot do is said where its author looks first
  document.addEventListener("securitypolicyviolation", (event) =>
    tell({ kind: "blocked", text: `${event.effectiveDirective}: ${event.blockedURI}` }),
  );
  const failed = (event) => {
    const { target, message, lineno } = event;
    if (message) tell({ kind: "error", text: lineno ? `${message} (line ${lineno})` : message });
    else {
      const address = String(target.src ?? target.href ?? "");
      if (address.startsWith(folder)) tell({ kind: "error", text: `there is no file robot_windows/${address.slice(folder.length)}` });
    }
  };
  window.addEventListener("error", failed, true); // files that do not load are heard on the way down only
  window.addEventListener("unhandledrejection", (event) => tell({ kind: "error", text: String(event.reason) }));
  window.addEventListener("load", () => {
    if (document.title) tell({ kind: "title", text: document.title });
  });

  // a frame without an origin has no storage, and windows break when they only ask for it
  const store = () => {
    const items = new Map();
    return {
      get length() {
        return items.size;
      },
      key: (index) => [...items.keys()][index] ?? null,
      getItem: (key) => items.get(String(key)) ?? null,
      setItem: (key, value) => void items.set(String(key), String(value)),
      removeItem: (key) => void items.delete(String(key)),
      clear: () => items.clear(),
    };
  };
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, { value: store(), configurable: true });
  }

  /** A box over the window with a text and buttons. */
  function ask(title, text, buttons) {
    const box = document.createElement("dialog");
    const head = document.createElement("h3");
    head.textContent = title;
    const line = document.createElement("p");
    line.textContent = text;
    box.append(head, line);
    for (const [label, action] of buttons) {
      const button = document.createElement("button");
      button.textContent = label;
      button.onclick = () => {
        box.remove();
        action?.();
      };
      box.append(button);
    }
    document.body.append(box);
    box.showModal();
  }

  /** One window object for all who ask, as in releases before R2021b. */
  let first = null;
  window.webots = {
    window: () => (first ??= new RobotWindow()),
    alert: (title, text, done) => ask(title, text, [["OK", done]]),
    confirm: (title, text, yes) => ask(title, text, [["OK", yes], ["Cancel", null]]),
  };
  Object.defineProperty(window, "solidbodyRobotWindow", { value: RobotWindow });
  tell({ kind: "ready", text: "" });
})();
