export { linearOf, seenColor, type Triple, visionNames } from './color-vision.ts';
