import { Component, type ReactNode, Suspense } from 'react';
import { MainArea } from './main-area.tsx';
import { Dialog } from './dialog.tsx';
import { PartMissing } from './later.ts';

interface BoundaryProps {
  /** The subject of the error message, at the start of a sentence: "This chart". */
  readonly what: string;
  /** Wraps the error message. If absent, the message is not wrapped. */
  readonly around?: (sentence: ReactNode) => ReactNode;
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly fault: { readonly error: unknown } | null;
}

/**
 * Catches errors of its content, so that they do not break the page. Shows a message with a retry
 * button instead.
 */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { fault: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { fault: { error } };
  }

  override render(): ReactNode {
    const { what, around = (sentence) => sentence, children } = this.props;
    const { fault } = this.state;
    if (!fault) return children;
    return around(<Sentence what={what} error={fault.error} retry={() => this.setState({ fault: null })} />);
  }
}

interface SentenceProps {
  readonly what: string;
  readonly error: unknown;
  readonly retry: () => void;
}

function Sentence({ what, error, retry }: SentenceProps) {
  const missing = error instanceof PartMissing; // browsers cache the failure, so a retry is useless
  return (
    <div className="broken" role="alert">
      <p>{missing ? "Can't load this part. The server is unreachable or was updated." : `${what} can't be shown.`}</p>
      <button type="button" onClick={missing ? () => location.reload() : retry}>
        {missing ? 'Reload the page' : 'Try again'}
      </button>
    </div>
  );
}

/** Wraps an error message that replaces a whole panel. */
export function brokenPanel(sentence: ReactNode): ReactNode {
  return <MainArea className="cards">{sentence}</MainArea>;
}

/** Wraps an error message that replaces a chart. */
export function brokenChart(sentence: ReactNode): ReactNode {
  return (
    <div className="chart">
      <div className="chart-message">{sentence}</div>
    </div>
  );
}

interface LaterDialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** The dialog, loaded when it opens. */
  readonly children: ReactNode;
}

/** Renders a lazily loaded dialog; an error also appears in a dialog. */
export function LaterDialog({ title, onClose, children }: LaterDialogProps) {
  return (
    <Boundary
      what="This"
      around={(sentence) => (
        <Dialog title={title} onClose={onClose}>
          {sentence}
        </Dialog>
      )}
    >
      <Suspense fallback={null}>{children}</Suspense>
    </Boundary>
  );
}
