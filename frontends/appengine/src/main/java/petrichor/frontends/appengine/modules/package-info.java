/**
 * The API {@code modules}: services and versions of the calling app, of which there is one in
 * development.
 */
@NullMarked
package petrichor.frontends.appengine.modules;

import org.jspecify.annotations.NullMarked;
