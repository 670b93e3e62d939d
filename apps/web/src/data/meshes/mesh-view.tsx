import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { palettes } from '#charts';
import { useTheme } from '../../app/theme.ts';
import { useContents } from '../../experiment/experiment-context.ts';
import { useWidth } from '../use-width.ts';
import type { Mesh } from './mesh.ts';
import { canDrawMeshes, MeshDrawing, type Viewpoint } from './mesh-drawing.ts';

const height = 320;
const maxWidth = 560;

interface MeshViewProps {
  readonly mesh: Mesh;
  readonly run: string;
  readonly label: string;
  readonly viewpoint: Viewpoint;
}

/** A mesh that the pointer and keys rotate, if the browser can draw it. */
export function MeshView(props: MeshViewProps) {
  const [canDraw] = useState(canDrawMeshes);
  if (!canDraw) return <p className="dim">This browser cannot draw meshes: WebGL is disabled or unavailable.</p>;
  return <DrawnMesh {...props} />;
}

function DrawnMesh({ mesh, run, label, viewpoint }: MeshViewProps) {
  const { styles } = useContents();
  const theme = useTheme();
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = useRef<MeshDrawing>(null);
  const width = Math.min(maxWidth, useWidth(place));
  const color = palettes[theme][styles.get(run)?.color ?? 0]!;
  useEffect(() => {
    drawing.current = new MeshDrawing(canvas.current!, viewpoint);
    return () => drawing.current?.dispose();
  }, [viewpoint]);
  // Runs after the drawing is created, which depends on the viewpoint
  useEffect(() => drawing.current?.resize(width, height), [width, viewpoint]);
  useEffect(() => drawing.current?.show(mesh, color), [mesh, color, viewpoint]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (drawing.current?.press(event.key)) event.preventDefault();
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- an application is a widget
    <div
      ref={place}
      className="mesh-view"
      role="application"
      aria-roledescription="mesh"
      aria-label={`${label}. Use the arrow keys to rotate, + and - to zoom, Escape to reset.`}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application is a widget
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <canvas ref={canvas} style={{ width, height }} />
    </div>
  );
}
