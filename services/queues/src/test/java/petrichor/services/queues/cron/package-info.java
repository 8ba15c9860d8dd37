/** Tests of schedules and cron jobs. */
@NullMarked
package petrichor.services.queues.cron;

import org.jspecify.annotations.NullMarked;
