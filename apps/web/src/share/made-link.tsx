import { Command } from '../app/command.tsx';

interface MadeLinkProps {
  readonly made: { readonly kind: 'page' | 'embed' | 'report'; readonly url: string };
  readonly onDone: () => void;
}

/** A new link. Its URL is shown only once. */
export function MadeLink({ made, onDone }: MadeLinkProps) {
  const isEmbed = made.kind === 'embed';
  const text = isEmbed ? `<iframe src="${made.url}" width="800" height="480" loading="lazy"></iframe>` : made.url;
  return (
    <section className="panel" aria-label="The new link">
      <p>
        {isEmbed ? 'Paste this code into a page on one of these sites.' : 'Anyone with this link can view it without signing in.'} Copy it
        now; you won't see it again.
      </p>
      <Command text={text} />
      <div className="buttons">
        <button type="button" onClick={onDone}>
          Create another
        </button>
      </div>
    </section>
  );
}
