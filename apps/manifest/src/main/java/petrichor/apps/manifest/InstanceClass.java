package petrichor.apps.manifest;

/**
 * App Engine's classes of instances. Those that begin with F are for automatic scaling, those with
 * B for basic and manual scaling. Memory and CPU are the limits of App Engine's second generation;
 * its 600 MHz are a quarter of a core here.
 */
public enum InstanceClass {
    F1(384, 600),
    F2(768, 1_200),
    F4(1_536, 2_400),
    F4_1G(3_072, 2_400),
    B1(384, 600),
    B2(768, 1_200),
    B4(1_536, 2_400),
    B4_1G(3_072, 2_400),
    B8(3_072, 4_800);

    private static final int MILLICORES_PER_CORE = 1_000;
    private static final int MHZ_PER_CORE = 2_400;

    private final int memoryMegabytes;
    private final int cpuMhz;

    InstanceClass(int memoryMegabytes, int cpuMhz) {
        this.memoryMegabytes = memoryMegabytes;
        this.cpuMhz = cpuMhz;
    }

    public int memoryMegabytes() {
        return memoryMegabytes;
    }

    /** As App Engine states it. */
    public int cpuMhz() {
        return cpuMhz;
    }

    /** Thousandths of a core: the limit of the process. */
    public int cpuMillicores() {
        return cpuMhz * MILLICORES_PER_CORE / MHZ_PER_CORE;
    }

    /** Whether it is for automatic scaling. */
    public boolean isAutomatic() {
        return name().startsWith("F");
    }
}
