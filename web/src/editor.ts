import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import type { Extension } from "@codemirror/state";
import { Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import type { DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** What the words of a language are, and how its remarks begin. */
interface Words {
  remark: RegExp;
  keywords: Set<string>;
  atoms: Set<string>;
  /** Texts over several lines begin and end with this. */
  long?: string[];
  /** Lines that end like this are followed by an indented one. */
  opens?: RegExp;
}

const split = (text: string): Set<string> => new Set(text.split(" "));

const PYTHON: Words = {
  remark: /^#.*/,
  keywords: split("and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield"),
  atoms: split("True False None self"),
  long: ['"""', "'''"],
  opens: /:\s*(#.*)?$/,
};

const C: Words = {
  remark: /^\/\/.*/,
  keywords: split("auto bool break case catch char class const constexpr continue default delete do double else enum extern float for if inline int long namespace new operator override private protected public return short signed sizeof static struct switch template this throw try typedef typename union unsigned using virtual void volatile while"),
  atoms: split("true false nullptr NULL"),
  opens: /\{\s*$/,
};

const VRML: Words = {
  remark: /^#.*/,
  keywords: split("DEF USE IS PROTO EXTERNPROTO IMPORTABLE field unconnectedField vrmlField hidden"),
  atoms: split("TRUE FALSE NULL"),
  opens: /[{[]\s*(#.*)?$/,
};

/** Where the reader of a language is: in a text until this comes; how far the line is indented, and whether it opens one. */
interface Reading {
  until: string;
  indent: number;
  isOpen: boolean;
}

/** Colours by words: quick, small, and enough for short programs. */
function makeLanguage({ remark, keywords, atoms, long = [], opens }: Words): Extension {
  return StreamLanguage.define<Reading>({
    startState: () => ({ until: "", indent: 0, isOpen: false }),
    token(stream, state) {
      if (stream.sol() && !state.until && stream.string.trim()) {
        state.indent = stream.indentation();
        state.isOpen = opens?.test(stream.string) ?? false;
      }
      if (state.until) {
        if (stream.skipTo(state.until)) {
          stream.match(state.until);
          state.until = "";
        } else stream.skipToEnd();
        return "string";
      }
      if (stream.eatSpace()) return null;
      if (stream.match(remark)) return "comment";
      if (remark === C.remark && stream.match("/*")) {
        state.until = "*/";
        return "comment";
      }
      for (const quotes of long) {
        if (!stream.match(quotes)) continue;
        state.until = quotes;
        return "string";
      }
      if (stream.match(/^"(?:[^"\\]|\\.)*"?|^'(?:[^'\\]|\\.)*'?/)) return "string";
      if (stream.match(/^[-+]?(?:0x[\da-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)/)) return "number";
      if (remark === C.remark && stream.match(/^#\s*\w+/)) return "keyword";
      const word = stream.match(/^[A-Za-z_]\w*/);
      if (Array.isArray(word)) {
        const text = word[0]!;
        if (keywords.has(text)) return "keyword";
        if (atoms.has(text)) return "atom";
        if (/^[A-Z][a-z]\w*$/.test(text)) return "typeName";
        return stream.peek() === "(" ? "variableName.function" : "propertyName";
      }
      stream.next();
      return null;
    },
    indent: (state, after, { unit }) => (/^\s*[}\]]/.test(after) ? Math.max(state.indent - (state.isOpen ? 0 : unit), 0) : state.indent + (state.isOpen ? unit : 0)),
  });
}

const LANGUAGES: Record<string, Words> = { py: PYTHON, c: C, cc: C, cpp: C, cxx: C, h: C, hh: C, hpp: C, wbt: VRML, proto: VRML };

/** Colours of the page's themes, as variables: both are readable on cards. */
const COLORS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.controlKeyword, tags.definitionKeyword], color: "light-dark(#8a1c8f, #d59bff)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.atom, tags.null], color: "light-dark(#704800, #eeb647)" },
  { tag: [tags.typeName, tags.className, tags.definition(tags.typeName)], color: "var(--link)", fontWeight: "600" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))], color: "var(--link)" },
  { tag: tags.propertyName, color: "var(--text)" },
]);

const LOOK = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", color: "var(--text)" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'Cascadia Mono', Menlo, monospace", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--hover)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-wrong": { backgroundColor: "color-mix(in srgb, var(--bad) 18%, transparent)", boxShadow: "inset 3px 0 var(--bad)" },
});

/** Marks a line that a message names (counted from 1; 0 = none). */
const mark = StateEffect.define<number>();
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    let next = shown.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(mark)) continue;
      const { doc } = transaction.state;
      const line = effect.value > 0 && effect.value <= doc.lines ? doc.line(effect.value) : null;
      next = line ? Decoration.set([Decoration.line({ class: "cm-wrong" }).range(line.from)]) : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** A text with line numbers, colours by language, undo and indentation. */
export class TextEditor {
  private readonly view: EditorView;

  constructor(host: HTMLElement, private readonly onChange: (text: string) => void) {
    // in a shadow tree styles need no style element, which the page's policy forbids
    const root = host.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    parent.style.height = "100%";
    root.append(parent);
    this.view = new EditorView({ parent, root });
  }

  /** Show a text whose file has this ending. */
  show(text: string, ending: string): void {
    const words = LANGUAGES[ending];
    this.view.setState(
      EditorState.create({
        doc: text,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          indentUnit.of(ending === "wbt" ? "  " : "    "),
          bracketMatching(),
          highlightActiveLine(),
          highlightActiveLineGutter(),
          syntaxHighlighting(COLORS),
          words ? makeLanguage(words) : [],
          marks,
          LOOK,
          EditorView.contentAttributes.of({ "aria-label": "Text of the program" }),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) this.onChange(update.state.doc.toString());
          }),
        ],
      }),
    );
  }

  /** Go to a line that a message names, and mark it. */
  goTo(line: number): void {
    const { doc } = this.view.state;
    const place = doc.line(Math.min(Math.max(line, 1), doc.lines)).from;
    this.view.dispatch({ selection: { anchor: place }, effects: [mark.of(line), EditorView.scrollIntoView(place, { y: "center" })] });
    this.view.focus();
  }

  /** No line is wrong any more, as far as is known. */
  unmark(): void {
    this.view.dispatch({ effects: mark.of(0) });
  }
}
