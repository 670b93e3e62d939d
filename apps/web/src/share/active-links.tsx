import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { visibleText } from '#charts';
import type { Api } from '../api/api.ts';
import { problemText } from '../api/problem.ts';
import { ConfirmButton } from '../app/confirm-button.tsx';
import { Day } from '../app/day.tsx';

/** The properties that every kind of link has in a list. */
interface Listed {
  readonly id: string;
  readonly name: string;
  readonly expires_at: string | null;
  readonly made_by: { readonly name: string } | null;
}

interface ActiveLinksProps<Link> {
  readonly api: Api;
  /** The path of the list. */
  readonly path: string;
  /** The path of one link. */
  readonly pathOf: (id: string) => string;
  /** A short summary of what a link shows. */
  readonly shows: (link: Link) => string;
}

/** Key of the cached list of links at this path. */
export function linksKey(path: string): readonly ['share-links', string] {
  return ['share-links', path];
}

/** The active links to an experiment or a report, with revoke buttons. */
export function ActiveLinks<Link extends Listed>({ api, path, pathOf, shows }: ActiveLinksProps<Link>) {
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: linksKey(path),
    queryFn: async ({ signal }) => (await api.get<{ share_links: readonly Link[] }>(path, signal)).share_links,
    staleTime: 0,
  });
  const revoke = useMutation({
    mutationFn: (link: string) => api.send('DELETE', pathOf(link)),
    onSettled: () => client.invalidateQueries({ queryKey: linksKey(path) }),
  });
  const failed = error ?? revoke.error;
  return (
    <section className="share-links" aria-label="Links">
      <h3>Active links</h3>
      {failed && <p className="bad">{problemText(failed)}</p>}
      {data?.length === 0 && <p className="dim">None yet.</p>}
      <ul>
        {data?.map((link) => (
          <li key={link.id}>
            <div>
              <p>{link.name === '' ? <span className="dim">No label</span> : visibleText(link.name)}</p>
              <p className="dim">{shows(link)}</p>
              <p className="dim">
                {link.expires_at === null ? (
                  'never expires'
                ) : (
                  <>
                    expires <Day of={link.expires_at} />
                  </>
                )}
                {link.made_by && <>, created by {visibleText(link.made_by.name)}</>}
              </p>
            </div>
            <ConfirmButton
              ask="Revoke?"
              label={`the link ${visibleText(link.name)}`}
              disabled={revoke.isPending}
              onConfirm={() => revoke.mutate(link.id)}
            >
              Revoke
            </ConfirmButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
