package petrichor.bench.jobs;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The processor time of this process in nanoseconds. Java reports it in hundredths of a second, too
 * coarse for runs that take a tenth. Linux; one thread.
 */
final class ProcessorClock implements AutoCloseable {
    /** CLOCK_PROCESS_CPUTIME_ID of the C library on Linux. */
    private static final int PROCESS_CLOCK = 2;

    private static final long NANOS = 1_000_000_000;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment time =
            arena.allocate(MemoryLayout.structLayout(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
    private final MethodHandle read;

    // The command that starts this process allows native access.
    @SuppressWarnings("restricted")
    ProcessorClock() {
        Linker linker = Linker.nativeLinker();
        read =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("clock_gettime"),
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    }

    long nanos() {
        try {
            int failed = (int) read.invokeExact(PROCESS_CLOCK, time);
            if (failed != 0) {
                throw new IllegalStateException("this system has no clock of a process' time");
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        return time.getAtIndex(ValueLayout.JAVA_LONG, 0) * NANOS
                + time.getAtIndex(ValueLayout.JAVA_LONG, 1);
    }

    @Override
    public void close() {
        arena.close();
    }
}
