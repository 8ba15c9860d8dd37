/** App Engine's API {@code search} on {@link petrichor.services.search.SearchService}. */
@NullMarked
package petrichor.frontends.appengine.search;

import org.jspecify.annotations.NullMarked;
