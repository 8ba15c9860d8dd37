@NullMarked
package petrichor.frontends.appengine.memcache;

import org.jspecify.annotations.NullMarked;
