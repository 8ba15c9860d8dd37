/** The API {@code xmpp} of App Engine: messages, invitations and presence. */
@NullMarked
package petrichor.frontends.appengine.xmpp;

import org.jspecify.annotations.NullMarked;
