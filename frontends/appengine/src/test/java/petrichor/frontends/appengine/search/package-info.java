/** Tests of the search API. */
@NullMarked
package petrichor.frontends.appengine.search;

import org.jspecify.annotations.NullMarked;
