package petrichor.services.queues.dispatch;

import petrichor.base.TimeSource;
import petrichor.transactions.scheduling.Scheduler;

/** What all dispatchers of a process share. */
record DispatchSetup(
        TaskDelivery delivery,
        DeliverySlots slots,
        DispatchLimits limits,
        TimeSource time,
        Scheduler scheduler) {}
