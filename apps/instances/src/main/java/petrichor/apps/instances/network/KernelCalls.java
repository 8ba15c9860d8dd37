package petrichor.apps.instances.network;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/**
 * The system calls that load a program into the kernel and attach it to a control group (bpf(2)).
 * Programs stay attached until the group is removed, also after the end of this process.
 * Thread-safe.
 */
final class KernelCalls {
    /** The kind of a program, and where it is attached, as the kernel numbers them. */
    enum Hook {
        SOCKET(9, 2),
        CONNECT_V4(18, 10),
        CONNECT_V6(18, 11),
        SEND_V4(18, 14),
        SEND_V6(18, 15),
        PACKETS_ENTERING(8, 0),
        PACKETS_LEAVING(8, 1);

        final int kind;
        final int place;

        Hook(int kind, int place) {
            this.kind = kind;
            this.place = place;
        }
    }

    private static final Map<String, Long> BPF = Map.of("amd64", 321L, "aarch64", 280L);
    private static final long LOAD = 5;
    private static final long ATTACH = 8;

    /** Programs of parent groups, such as those of systemd, also run. */
    private static final int ALLOW_MULTI = 2;

    private static final int ATTRIBUTES_BYTES = 72;
    private static final int MESSAGE_BYTES_MAX = 64 << 10;
    private static final int OPEN_FOLDER = 0x80000 | 0x10000;
    private static final String LICENSE = "Apache-2.0";

    private static final Linker LINKER = Linker.nativeLinker();
    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private final long bpf;
    private final MethodHandle call;
    private final MethodHandle open;
    private final MethodHandle close;
    private final MethodHandle text;

    private KernelCalls(long bpf) {
        this.bpf = bpf;
        Linker.Option state = Linker.Option.captureCallState("errno");
        this.call =
                function(
                        "syscall",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_LONG),
                        Linker.Option.firstVariadicArg(1),
                        state);
        this.open =
                function(
                        "open",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
                        Linker.Option.firstVariadicArg(2),
                        state);
        this.close =
                function(
                        "close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        this.text =
                function(
                        "strerror",
                        FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    }

    /** Fails where this class does not know the numbers of the system calls. */
    static KernelCalls ofThisMachine() throws IOException {
        Long bpf = BPF.get(System.getProperty("os.arch", ""));
        if (bpf == null || !System.getProperty("os.name", "").equals("Linux")) {
            throw new IOException("this needs Linux on x86-64 or ARM64");
        }
        return new KernelCalls(bpf);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function(
            String name, FunctionDescriptor descriptor, Linker.Option... options) {
        MemorySegment address =
                LINKER.defaultLookup()
                        .find(name)
                        .orElseThrow(() -> new IllegalStateException("libc has no " + name));
        return LINKER.downcallHandle(address, descriptor, options);
    }

    /** Loads a program and attaches it to the group in a folder of the unified hierarchy. */
    void attach(Path group, Hook hook, byte[] program) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            int loaded = load(arena, hook, program);
            try {
                int folder = open(arena, group);
                try {
                    MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
                    attributes.set(ValueLayout.JAVA_INT, 0, folder);
                    attributes.set(ValueLayout.JAVA_INT, 4, loaded);
                    attributes.set(ValueLayout.JAVA_INT, 8, hook.place);
                    attributes.set(ValueLayout.JAVA_INT, 12, ALLOW_MULTI);
                    MemorySegment state = arena.allocate(STATE);
                    if (bpf(state, ATTACH, attributes) < 0) {
                        throw failed("the program " + hook + " cannot be attached", state);
                    }
                } finally {
                    close(folder);
                }
            } finally {
                close(loaded);
            }
        }
    }

    private int load(Arena arena, Hook hook, byte[] program) throws IOException {
        MemorySegment code = arena.allocate(program.length, Long.BYTES);
        MemorySegment.copy(program, 0, code, ValueLayout.JAVA_BYTE, 0, program.length);
        MemorySegment attributes = arena.allocate(ATTRIBUTES_BYTES, Long.BYTES);
        attributes.set(ValueLayout.JAVA_INT, 0, hook.kind);
        attributes.set(ValueLayout.JAVA_INT, 4, program.length / BpfCode.BYTES);
        attributes.set(ValueLayout.JAVA_LONG, 8, code.address());
        attributes.set(ValueLayout.JAVA_LONG, 16, arena.allocateFrom(LICENSE).address());
        attributes.set(ValueLayout.JAVA_INT, 68, hook.place);
        MemorySegment state = arena.allocate(STATE);
        long loaded = bpf(state, LOAD, attributes);
        if (loaded >= 0) {
            return (int) loaded;
        }
        IOException failed = failed("the kernel refuses the program " + hook, state);
        // Again with the reasons of the kernel's verifier.
        MemorySegment message = arena.allocate(MESSAGE_BYTES_MAX);
        attributes.set(ValueLayout.JAVA_INT, 24, 1);
        attributes.set(ValueLayout.JAVA_INT, 28, MESSAGE_BYTES_MAX);
        attributes.set(ValueLayout.JAVA_LONG, 32, message.address());
        long again = bpf(state, LOAD, attributes);
        if (again >= 0) {
            return (int) again;
        }
        String reasons = message.getString(0, StandardCharsets.ISO_8859_1).strip();
        if (!reasons.isEmpty()) {
            failed.addSuppressed(new IOException(reasons));
        }
        throw failed;
    }

    private long bpf(MemorySegment state, long command, MemorySegment attributes) {
        try {
            return (long)
                    call.invokeExact(state, bpf, command, attributes, (long) ATTRIBUTES_BYTES);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private int open(Arena arena, Path folder) throws IOException {
        MemorySegment state = arena.allocate(STATE);
        int opened;
        try {
            opened =
                    (int)
                            open.invokeExact(
                                    state, arena.allocateFrom(folder.toString()), OPEN_FOLDER);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
        if (opened < 0) {
            throw failed("the control group " + folder + " cannot be opened", state);
        }
        return opened;
    }

    private void close(int descriptor) {
        try {
            int _ = (int) close.invokeExact(descriptor);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @SuppressWarnings("restricted")
    private IOException failed(String what, MemorySegment state) {
        int number = (int) ERROR.get(state, 0L);
        try {
            MemorySegment reason = (MemorySegment) text.invokeExact(number);
            return new IOException(
                    what + ": " + reason.reinterpret(MESSAGE_BYTES_MAX).getString(0));
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
