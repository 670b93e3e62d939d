import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { visibleText } from '#charts';
import { problemText } from '../api/problem.ts';
import type { ShareLinkJson } from '../api/types.ts';
import { ConfirmButton } from '../app/confirm-button.tsx';
import { Day } from '../app/day.tsx';
import { useWorld } from '../experiment/experiment-context.ts';

/** The active links to the experiment, with revoke buttons. */
export function ShareLinks() {
  const { api, id } = useWorld();
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['share-links', id],
    queryFn: async ({ signal }) =>
      (await api.get<{ share_links: readonly ShareLinkJson[] }>(`/experiments/${id}/share-links`, signal)).share_links,
    staleTime: 0,
  });
  const revoke = useMutation({
    mutationFn: (link: string) => api.send('DELETE', `/share-links/${link}`),
    onSettled: () => client.invalidateQueries({ queryKey: ['share-links', id] }),
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

/** A short summary of the data that a link shows. */
function shows({ kind, frozen, runs, tags, anonymous, logs, origins }: ShareLinkJson): string {
  const parts = [
    runs === null ? 'all runs' : several(runs.length, 'run'),
    tags === null ? 'all tags' : several(tags.length, 'tag'),
    frozen ? 'frozen' : 'live',
    ...(anonymous ? ['anonymous'] : []),
    ...(logs ? ['with logs'] : []),
    ...(kind === 'embed' ? [`embedded on ${(origins ?? []).map(visibleText).join(', ')}`] : []),
  ];
  return parts.join(' · ');
}

function several(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}
