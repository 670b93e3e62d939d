import { Lexer, type Token, type Tokens } from 'marked';
import { createContext, Fragment, type ReactNode, use, useMemo } from 'react';
import { visibleText } from '#charts';

/** Maximum length of rendered Markdown, in characters; longer text is shown as plain text. */
const longest = 200_000;
/** Maximum nesting depth of quotes and lists. Deeper levels are shown as plain text. */
const deepest = 40;

/** How documents differ from logged Markdown. */
export interface DocumentParts {
  /** Renders a code block. Returns undefined to render it as code. */
  readonly code: (text: string, language: string) => ReactNode | undefined;
}

const DocumentContext = createContext<DocumentParts | null>(null);

/** A workspace document: like logged Markdown, but with real headings and its own blocks. */
export function MarkdownDocument({ text, parts }: { readonly text: string; readonly parts: DocumentParts }) {
  return (
    <DocumentContext value={parts}>
      <Markdown text={text} />
    </DocumentContext>
  );
}

/**
 * Logged Markdown as elements of the page: the parser yields tokens, and each kind of token is
 * rendered here. HTML in the Markdown stays text. Images become links, so nothing is loaded from
 * other sites. Only links to the web are kept.
 */
export function Markdown({ text }: { readonly text: string }) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return tokens ? <div className="markdown">{render(tokens, 0)}</div> : <pre className="plain-text">{visibleText(text)}</pre>;
}

/** Returns null if the text is too long, or nested too deeply for the parser. */
function tokensOf(text: string): readonly Token[] | null {
  if (text.length > longest) return null;
  try {
    return new Lexer({ gfm: true }).lex(text);
  } catch {
    return null;
  }
}

function render(tokens: readonly Token[] | undefined, depth: number): ReactNode {
  if (depth > deepest) return (tokens ?? []).map(({ raw }) => visibleText(raw)).join('');
  const seen = new Map<string, number>();
  return (tokens ?? []).map((token, i) => <Fragment key={keyOf(token, i, seen)}>{element(token, depth + 1)}</Fragment>);
}

/** Code blocks keep their state when the text before them changes. */
function keyOf(token: Token, i: number, seen: Map<string, number>): string | number {
  if (token.type !== 'code') return i;
  const count = (seen.get(token.raw) ?? 0) + 1;
  seen.set(token.raw, count);
  return `${count} ${token.raw}`;
}

/** Headings in logged Markdown would disturb the outline of the page. */
function Heading({ depth, children }: { readonly depth: number; readonly children: ReactNode }) {
  const className = `h${depth}`;
  if (!use(DocumentContext)) return <p className={className}>{children}</p>;
  const Element = `h${Math.min(6, depth + 1)}` as 'h2';
  return <Element className={className}>{children}</Element>;
}

function Code({ text, language }: { readonly text: string; readonly language: string }) {
  const own = use(DocumentContext)?.code(text, language);
  return own === undefined ? <pre>{visibleText(text)}</pre> : own;
}

function element(token: Token, depth: number): ReactNode {
  const inner = (): ReactNode => ('tokens' in token && token.tokens ? render(token.tokens, depth) : unescaped(token));
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      return <Heading depth={(token as Tokens.Heading).depth}>{inner()}</Heading>;
    case 'paragraph':
      return <p>{inner()}</p>;
    case 'text':
    case 'escape':
      return inner();
    case 'strong':
      return <strong>{inner()}</strong>;
    case 'em':
      return <em>{inner()}</em>;
    case 'del':
      return <del>{inner()}</del>;
    case 'br':
      return <br />;
    case 'hr':
      return <hr />;
    case 'codespan':
      return <code>{unescaped(token)}</code>;
    case 'code':
      return <Code text={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ''} />;
    case 'blockquote':
      return <blockquote>{inner()}</blockquote>;
    case 'list':
      return <List list={token as Tokens.List} depth={depth} />;
    case 'table':
      return <Table table={token as Tokens.Table} depth={depth} />;
    case 'link':
      return <Link href={(token as Tokens.Link).href}>{inner()}</Link>;
    case 'image':
      return <Link href={(token as Tokens.Image).href}>[picture: {visibleText((token as Tokens.Image).text)}]</Link>;
    default:
      return visibleText(token.raw); // HTML, and tokens of later parser versions
  }
}

function unescaped(token: Token): string {
  return visibleText('text' in token && typeof token.text === 'string' ? token.text : token.raw);
}

function List({ list, depth }: { readonly list: Tokens.List; readonly depth: number }) {
  const items = list.items.map((item, i) => <li key={i}>{render(item.tokens, depth)}</li>);
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, depth }: { readonly table: Tokens.Table; readonly depth: number }) {
  return (
    <table>
      <thead>
        <tr>
          {table.header.map((cell, i) => (
            <th key={i}>{render(cell.tokens, depth)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {table.rows.map((row, i) => (
          <tr key={i}>
            {row.map((cell, j) => (
              <td key={j}>{render(cell.tokens, depth)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A link to the web. Any other URL is shown as text. */
function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  if (!isWeb(href)) return <>{children}</>;
  return (
    <a href={href} title={visibleText(href)} rel="noopener noreferrer nofollow ugc" target="_blank">
      {children}
    </a>
  );
}

/** Absolute URLs only: a relative URL would lead into this service. */
export function isWeb(href: string): boolean {
  return /^https?:\/\//i.test(href) && URL.canParse(href);
}
