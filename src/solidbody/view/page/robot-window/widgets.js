// What windows of old releases use of jQuery UI: tabs and buttons. It says what else they ask for.
(($) => {
  "use strict";
  const OTHERS = "accordion autocomplete checkboxradio controlgroup datepicker dialog draggable droppable menu " +
    "progressbar resizable selectable selectmenu slider sortable spinner tooltip";
  const LOOK = `
    .ui-tabs-nav { display: flex; flex-wrap: wrap; gap: 2px; margin: 0 0 8px; padding: 0; list-style: none; border-bottom: 1px solid #bbb }
    .ui-tabs-nav a { display: block; padding: 4px 10px; color: inherit; text-decoration: none; background: #eee }
    .ui-tabs-nav .ui-state-active a { font-weight: bold; background: #ccc }
    .ui-state-disabled { opacity: 0.4; pointer-events: none }`;
  document.head.append(Object.assign(document.createElement("style"), { textContent: LOOK }));

  function show(root, number) {
    const items = root.children("ul").first().children("li");
    items.each((k, item) => {
      const id = $(item).find("a").attr("href")?.slice(1);
      $(item).toggleClass("ui-state-active", k === number);
      $(document.getElementById(id)).toggle(k === number);
    });
    root.data("ui-active", number);
  }

  $.fn.tabs = function (options, name, value) {
    if (options === "option" && name === "active" && value === undefined) return this.data("ui-active");
    return this.each((_, element) => {
      const root = $(element);
      const list = root.children("ul").first();
      if (!list.hasClass("ui-tabs-nav")) {
        list.addClass("ui-tabs-nav").children("li").each((k, item) => {
          $(item).find("a").on("click", (event) => {
            event.preventDefault();
            show(root, k);
          });
        });
      }
      show(root, Number(options === "option" ? value : options?.active) || 0);
    });
  };
  $.fn.button = function () {
    return this.addClass("ui-button");
  };
  for (const name of OTHERS.split(" ")) {
    $.fn[name] = function () {
      window.dispatchEvent(new ErrorEvent("error", { message: `${name}() of jQuery UI is not there` }));
      return this;
    };
  }
})(window.jQuery);
