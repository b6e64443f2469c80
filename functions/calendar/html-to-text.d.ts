/** The part of html-to-text that is used here; version 10 ships without types. */
declare module 'html-to-text' {
  export interface HtmlElement {
    readonly type: string;
    readonly name?: string;
    readonly children?: readonly HtmlElement[];
    readonly prev?: HtmlElement | null;
  }

  export interface TextBuilder {
    addInline(text: string): void;
    addLiteral(text: string): void;
    openBlock(options: { readonly leadingLineBreaks: number }): void;
    closeBlock(options: { readonly trailingLineBreaks: number }): void;
  }

  export type Formatter = (
    element: HtmlElement,
    walk: (children: readonly HtmlElement[] | undefined, builder: TextBuilder) => void,
    builder: TextBuilder,
  ) => void;

  export interface Options {
    readonly wordwrap?: number | false;
    readonly preserveNewlines?: boolean;
    readonly baseElements?: { readonly selectors: readonly string[] };
    readonly limits?: { readonly ellipsis?: string; readonly maxDepth?: number };
    readonly formatters?: Readonly<Record<string, Formatter>>;
    readonly selectors?: readonly {
      readonly selector: string;
      readonly format?: string;
      readonly options?: Readonly<Record<string, unknown>>;
    }[];
  }

  export function compile(options: Options): (html: string) => string;
}
