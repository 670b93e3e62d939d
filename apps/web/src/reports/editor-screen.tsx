import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type SubmitEvent, useDeferredValue, useEffect, useRef, useState } from 'react';
import { visibleText } from '#charts';
import type { Api } from '../api/api.ts';
import { ApiProblem, problemText } from '../api/problem.ts';
import type { ReportJson } from '../api/types.ts';
import { Frame } from '../app/frame.tsx';
import { NavLink } from '../app/nav-link.tsx';
import { usePage } from '../app/page-context.ts';
import { AddView } from './add-view.tsx';
import { type Draft, keepDraft, readDraft } from './draft.ts';
import { ReportMissing } from './report-missing.tsx';
import { reportKey, reportsKey } from './report-key.ts';
import { ReportText } from './report-text.tsx';
import { useReport } from './use-report.ts';

/** The report editor, with a preview. */
export default function EditorScreen() {
  const { api, report, error } = useReport();
  return (
    <Frame>
      {error && !report ? (
        <ReportMissing error={error} />
      ) : report ? (
        <Editor key={report.id} api={api} report={report} />
      ) : (
        <main className="page" aria-busy="true" />
      )}
    </Frame>
  );
}

function Editor({ api, report }: { readonly api: Api; readonly report: ReportJson }) {
  const { id } = report;
  const { base, reader } = usePage();
  const { history } = useRouter();
  const client = useQueryClient();
  const person = reader?.id ?? '';
  const saved = { title: report.title, body: report.body, version: report.version };
  const [draft, setDraft] = useState<Draft>(() => readDraft(person, id) ?? saved);
  const [restored, setRestored] = useState(() => isChanged(draft, report));
  const [kept, setKept] = useState(true);
  const field = useRef<HTMLTextAreaElement>(null);
  /** The cursor position is meaningful only after the text field has had the focus. */
  const hadFocus = useRef(false);
  const shown = useDeferredValue(draft.body);
  const changed = isChanged(draft, report);
  const stale = draft.version !== report.version;
  const change = (changes: Partial<Draft>): void => {
    const next = { ...draft, ...changes };
    setDraft(next);
    setKept(keepDraft(person, id, isChanged(next, report) ? next : null));
  };
  useEffect(() => {
    if (!changed || kept) return;
    const stop = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', stop);
    return () => removeEventListener('beforeunload', stop);
  }, [changed, kept]);
  const save = useMutation({
    mutationFn: (version: number) => api.send<ReportJson>('PATCH', `/reports/${id}`, { title: draft.title, body: draft.body, version }),
    onSuccess: async (next) => {
      keepDraft(person, id, null);
      client.setQueryData(reportKey(id), next);
      await client.invalidateQueries({ queryKey: reportsKey });
      history.push(`${base}/reports/${id}`);
    },
    onError: (error) => {
      if (error instanceof ApiProblem && error.code === 'report-changed') return client.invalidateQueries({ queryKey: reportKey(id) });
    },
  });
  const discard = (): void => {
    keepDraft(person, id, null);
    setDraft(saved);
    setRestored(false);
    save.reset();
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!save.isPending) save.mutate(draft.version);
  };
  const insert = (block: string): void => {
    const { body } = draft;
    const at = hadFocus.current && field.current ? field.current.selectionEnd : body.length;
    const [before, after] = [body.slice(0, at).trimEnd(), body.slice(at).trimStart()];
    change({ body: [before, block, after].filter((part) => part !== '').join('\n\n') + (after === '' ? '\n' : '') });
    field.current?.focus();
  };
  return (
    <main className="page report-editor">
      <form onSubmit={submit} aria-label="Report">
        <div className="page-head">
          <h1>Edit report</h1>
          <div className="buttons">
            <button type="submit" className="primary" disabled={save.isPending || stale || draft.title.trim() === ''}>
              Save
            </button>
            <NavLink className="button" to={`/reports/${id}`}>
              Close
            </NavLink>
          </div>
        </div>
        <label className="field">
          Title
          <input
            className="text-field"
            type="text"
            maxLength={200}
            autoComplete="off"
            value={draft.title}
            onChange={({ target }) => change({ title: target.value })}
          />
        </label>
        <label className="field">
          Text
          <textarea
            ref={field}
            onFocus={() => {
              hadFocus.current = true;
            }}
            className="text-field"
            spellCheck
            placeholder="Markdown. Add a chart, a table or an image with “Add view”."
            value={draft.body}
            onChange={({ target }) => change({ body: target.value })}
          />
        </label>
        <AddView api={api} onAdd={insert} />
        <p className="dim" role="status">
          {stateText({ changed, kept, restored })}{' '}
          {changed && !stale && (
            <button type="button" className="quiet" onClick={discard}>
              Discard changes
            </button>
          )}
        </p>
        {stale && changed && (
          <Conflict report={report} busy={save.isPending} onMine={() => save.mutate(report.version)} onTheirs={discard} />
        )}
        {save.error && !(save.error instanceof ApiProblem && save.error.code === 'report-changed') && (
          <p className="bad" role="alert">
            {problemText(save.error)}
          </p>
        )}
      </form>
      <section aria-label="Preview">
        <ReportText text={shown} />
        {shown.trim() === '' && <p className="dim">The preview appears here.</p>}
      </section>
    </main>
  );
}

interface ConflictProps {
  readonly report: ReportJson;
  readonly busy: boolean;
  readonly onMine: () => void;
  readonly onTheirs: () => void;
}

/** Shown when two texts exist: the draft in this browser, and a version by another person. */
function Conflict({ report: { id, updated, updated_by: by }, busy, onMine, onTheirs }: ConflictProps) {
  const { base } = usePage();
  return (
    <div className="panel" role="alert">
      <p>
        {by ? visibleText(by.name) : 'A former member'} changed this report on{' '}
        <time dateTime={updated}>{new Date(updated).toLocaleString()}</time>, after you started. Your changes are kept in this browser.
      </p>
      <div className="buttons">
        <button type="button" disabled={busy} onClick={onMine}>
          Overwrite with mine
        </button>
        <button type="button" disabled={busy} onClick={onTheirs}>
          Discard mine
        </button>
        <a className="button" href={`${base}/reports/${id}`} target="_blank" rel="noopener">
          View current version
        </a>
      </div>
    </div>
  );
}

function isChanged(draft: Draft, report: ReportJson): boolean {
  return draft.title !== report.title || draft.body !== report.body;
}

function stateText({ changed, kept, restored }: { readonly changed: boolean; readonly kept: boolean; readonly restored: boolean }): string {
  if (!changed) return 'No unsaved changes.';
  if (!kept) return "Unsaved changes. This browser can't keep a draft, so save before you leave.";
  return restored ? 'Your earlier unsaved changes were restored.' : 'Unsaved changes. A draft is kept in this browser.';
}
