/**
 * Mail of apps. {@link petrichor.services.mail.Outbox} checks an app's message, stores it in rows
 * of the app's database and sends it in the background, so that an accepted mail survives a restart
 * and is sent at least once. Without an SMTP server, mails are kept for inspection. {@link
 * petrichor.services.mail.Inbox} is a small SMTP server that hands mails to apps.
 */
@NullMarked
package petrichor.services.mail;

import org.jspecify.annotations.NullMarked;
