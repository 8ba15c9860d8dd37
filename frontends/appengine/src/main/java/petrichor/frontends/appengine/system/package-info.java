/** The API {@code system}. */
@NullMarked
package petrichor.frontends.appengine.system;

import org.jspecify.annotations.NullMarked;
