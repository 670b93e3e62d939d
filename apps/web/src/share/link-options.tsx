import { useHasLogs } from '../logs/use-has-logs.ts';

/** What a link shows in addition to its content, and which websites may embed it. */
export interface LinkOptions {
  /** Whether the link opens with the current view. */
  readonly withView: boolean;
  readonly anonymous: boolean;
  /**
   * Whether the link includes logs. Logs contain names of people, so anonymous links do not include
   * them.
   */
  readonly logs: boolean;
  /** Websites that may embed the link, as typed. Null if no website may embed it. */
  readonly sites: string | null;
}

export const plainOptions: LinkOptions = { withView: true, anonymous: false, logs: false, sites: null };

/** The websites that may embed the link. Undefined if it cannot be embedded. */
export function originsOf({ sites }: LinkOptions): string[] | undefined {
  return sites?.split(/[\s,]+/).filter((site) => site !== '');
}

interface OptionsProps {
  readonly options: LinkOptions;
  readonly onChange: (options: LinkOptions) => void;
  /** Whether the current view differs from the plain view. */
  readonly hasView: boolean;
}

/** The options of a new link. */
export function LinkOptionsChoice({ options, onChange, hasView }: OptionsProps) {
  const { withView, anonymous, logs, sites } = options;
  const hasLogs = useHasLogs();
  return (
    <fieldset className="field">
      <legend>Options</legend>
      {hasView && (
        <label className="choice">
          <input type="checkbox" checked={withView} onChange={({ target }) => onChange({ ...options, withView: target.checked })} />
          Open with your current view
        </label>
      )}
      <label className="choice">
        <input type="checkbox" checked={anonymous} onChange={({ target }) => onChange({ ...options, anonymous: target.checked })} />
        Anonymous: hide people, workspace, file and host names
      </label>
      {hasLogs && (
        <label className="choice">
          <input
            type="checkbox"
            checked={logs && !anonymous}
            disabled={anonymous}
            onChange={({ target }) => onChange({ ...options, logs: target.checked })}
          />
          Include logs: the runs' output, with names of people and hosts
        </label>
      )}
      <label className="choice">
        <input
          type="checkbox"
          checked={sites !== null}
          onChange={({ target }) => onChange({ ...options, sites: target.checked ? '' : null })}
        />
        Embed on another website
      </label>
      {sites !== null && (
        <input
          className="text-field"
          type="text"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://example.org https://wiki.example.org"
          aria-label="Websites that may embed the link"
          value={sites}
          onChange={({ target }) => onChange({ ...options, sites: target.value })}
        />
      )}
    </fieldset>
  );
}
