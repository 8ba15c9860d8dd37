/** The API {@code mail} of App Engine ({@code Send}, {@code SendToAdmins}), and pages of mails. */
@NullMarked
package petrichor.frontends.appengine.mail;

import org.jspecify.annotations.NullMarked;
