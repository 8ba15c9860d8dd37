@NullMarked
package petrichor.frontends.appengine.mail;

import org.jspecify.annotations.NullMarked;
