/** The API {@code capability_service}: which APIs this server has. */
@NullMarked
package petrichor.frontends.appengine.capability;

import org.jspecify.annotations.NullMarked;
