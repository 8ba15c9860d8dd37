@NullMarked
package petrichor.frontends.appengine.urlfetch;

import org.jspecify.annotations.NullMarked;
