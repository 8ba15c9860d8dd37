/**
 * Chat messages and presence of apps over XMPP (RFC 6120, 6121). Every app has an account on an
 * XMPP server, which {@link petrichor.services.xmpp.Accounts} creates. {@link
 * petrichor.services.xmpp.Xmpp} has a connection per app, on the server that owns the app's
 * database; {@link petrichor.services.xmpp.IncomingStanzas} hands what arrives to the app.
 */
@NullMarked
package petrichor.services.xmpp;

import org.jspecify.annotations.NullMarked;
