import type { RefObject } from 'react';
import { svgChart, visibleText } from '#charts';
import { Icon } from '../app/icons.tsx';
import { Menu, MenuNote } from '../app/menu.tsx';
import type { ChartHandle } from './chart.tsx';
import { fileName, saveFile } from './save-file.ts';
import { usePointsFile } from './use-points-file.ts';

/** Files of a chart: its points, every one of them, and the picture as it is. */
export function DownloadMenu({ tag, handle }: { readonly tag: string; readonly handle: RefObject<ChartHandle | null> }) {
  const { state, save } = usePointsFile(() => [tag], tag);
  const svg = (): void => {
    const content = handle.current?.content;
    if (!content) return;
    const { lines, scales, styles, xAxis, theme } = content;
    const picture = svgChart(lines, scales, styles, { xAxis }, { title: tag, width: 720, height: 440, theme });
    saveFile(new Blob([picture], { type: 'image/svg+xml' }), fileName(tag, 'svg'));
  };
  const png = (): void => {
    handle.current?.canvas?.toBlob((blob) => blob && saveFile(blob, fileName(tag, 'png')));
  };

  return (
    <Menu label={`Download ${visibleText(tag)}`} icon={<Icon name="download" />}>
      <button type="button" onClick={() => void save('csv')}>
        Points as CSV
      </button>
      <button type="button" onClick={() => void save('json')}>
        Points as JSON
      </button>
      <button type="button" onClick={svg}>
        Picture as SVG
      </button>
      <button type="button" onClick={png}>
        Picture as PNG
      </button>
      <MenuNote state={state} />
    </Menu>
  );
}
