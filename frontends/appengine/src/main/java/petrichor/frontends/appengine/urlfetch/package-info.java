/** The API {@code urlfetch} of App Engine: {@code Fetch}. */
@NullMarked
package petrichor.frontends.appengine.urlfetch;

import org.jspecify.annotations.NullMarked;
