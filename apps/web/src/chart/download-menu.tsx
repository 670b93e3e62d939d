import { type RefObject, useState } from 'react';
import { visibleText } from '#charts';
import { Icon } from '../app/icons.tsx';
import { Menu, MenuNote } from '../app/menu.tsx';
import { useWorld } from '../experiment/experiment-context.ts';
import { CopyForReport } from '../reports/copy-for-report.tsx';
import type { ChartHandle } from './chart.tsx';
import { fileName, saveFile } from './save-file.ts';
import { usePointsFile } from './use-points-file.ts';

interface DownloadMenuProps {
  /** The chart's tags; its own tag comes first. */
  readonly tags: readonly string[];
  /** Null if there is no picture to save. */
  readonly handle: RefObject<ChartHandle | null> | null;
}

/** A menu that saves a chart as a file: all points of its tags, or the current picture. */
export function DownloadMenu({ tags, handle }: DownloadMenuProps) {
  const { api } = useWorld();
  const [tag = ''] = tags;
  const { state, save } = usePointsFile(() => tags, tag);
  const [failed, setFailed] = useState<string | null>(null);
  const picture = async (form: 'svg' | 'png'): Promise<void> => {
    const { content, canvas } = handle?.current ?? {};
    if (!content || !canvas) return;
    try {
      const { svgFile, pngFile } = await import('./chart-files.ts');
      const bytes = form === 'svg' ? svgFile(content, tag) : await pngFile(canvas, content, tag);
      if (bytes) saveFile(bytes, fileName(tag, form));
      setFailed(null);
    } catch {
      setFailed('The image cannot be created. Reload the page and try again.');
    }
  };

  if (handle === null && api.isStored) return null;
  return (
    <Menu label={`Download ${visibleText(tag)}`} icon={<Icon name="download" />}>
      {!api.isStored && (
        <>
          <button type="button" onClick={() => void save('csv')}>
            Points as CSV
          </button>
          <button type="button" onClick={() => void save('jsonl')}>
            Points as JSON Lines
          </button>
        </>
      )}
      {handle !== null && (
        <>
          <button type="button" onClick={() => void picture('svg')}>
            Image as SVG
          </button>
          <button type="button" onClick={() => void picture('png')}>
            Image as PNG
          </button>
        </>
      )}
      {!api.isStored && <CopyForReport changes={{ card: tag, also: tags.slice(1) }} />}
      <MenuNote state={failed ?? state} />
    </Menu>
  );
}
