import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { HomeScreen } from './home-screen.tsx';
import { homeParameters, type HomeView, parseHomeView } from './home-view.ts';

/** The list of experiments. The URL contains its view. */
export default function HomeRoute() {
  const { history } = useRouter();
  const [{ pathname, search }] = useState(history.location);
  const [view, setView] = useState(() => parseHomeView(new URLSearchParams(search)));
  useEffect(
    // Typing replaces the history entry, because the view changes before the URL does
    () =>
      history.subscribe(({ location, action: { type } }) => {
        if (type !== 'REPLACE' && location.pathname === pathname) setView(parseHomeView(new URLSearchParams(location.search)));
      }),
    [history, pathname],
  );
  const onView = (next: HomeView): void => {
    setView(next);
    const text = homeParameters(next).toString();
    history.replace(text === '' ? pathname : `${pathname}?${text}`);
  };
  return <HomeScreen view={view} onView={onView} />;
}
