/**
 * Channels: messages that an app pushes to its pages in browsers. A channel belongs to one client
 * of the app, which the app names, and exists until its token expires.
 *
 * <p>The owner of the app's database has its channels in memory ({@link
 * petrichor.services.channels.Channels}): their queues of undelivered messages, and who is
 * connected. A browser may connect to any server; there {@link
 * petrichor.services.channels.Connections} fetches the messages of all local connections of an app
 * from the owner with one long poll ({@link petrichor.services.channels.ChannelOwner}). When the
 * owner changes, these servers register their connections with the new one; undelivered messages of
 * the former owner are lost.
 */
@NullMarked
package petrichor.services.channels;

import org.jspecify.annotations.NullMarked;
