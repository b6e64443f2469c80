/** A Google calendar with application-default credentials, scoped to reading its events and nothing else. */
import { GoogleAuth } from 'google-auth-library';
import type { Calendar } from '../ports.ts';
import { CALENDAR_SCOPE, GoogleCalendar } from './google.ts';

export function openGoogleCalendar(calendarId: string): Calendar {
  const auth = new GoogleAuth({ scopes: [CALENDAR_SCOPE] });
  return new GoogleCalendar({ calendarId, auth, accountEmail: () => emailOf(auth) });
}

/** The account to share the calendar with; undefined where the credentials do not say. */
async function emailOf(auth: GoogleAuth): Promise<string | undefined> {
  const { client_email: email } = await auth.getCredentials();
  return email;
}
