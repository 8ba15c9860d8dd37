@NullMarked
package petrichor.frontends.appengine;

import org.jspecify.annotations.NullMarked;
