@NullMarked
package petrichor.frontends.appengine.user;

import org.jspecify.annotations.NullMarked;
