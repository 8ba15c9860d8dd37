/**
 * The API {@code channel} of App Engine ({@code CreateChannel}, {@code SendChannelMessage}), the
 * pages to which browsers connect, and the calls between servers for connections to other servers
 * than the owner of the app's channels.
 */
@NullMarked
package petrichor.frontends.appengine.channel;

import org.jspecify.annotations.NullMarked;
