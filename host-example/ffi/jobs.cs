// Lists the jobs with the C library, by P/Invoke.
using System;
using System.Runtime.InteropServices;

static class Jobs
{
    const string Library = "librostering.so.0.1";

    [DllImport(Library)] static extern IntPtr rostering_config_from_env(ref IntPtr error);
    [DllImport(Library)] static extern IntPtr rostering_client_open(IntPtr config, ref IntPtr error);
    [DllImport(Library)]
    static extern IntPtr rostering_list_jobs(IntPtr client, long timeout, IntPtr cancel, ref IntPtr error);
    [DllImport(Library)] static extern IntPtr rostering_response_body(IntPtr response);
    [DllImport(Library)] static extern UIntPtr rostering_response_body_length(IntPtr response);
    [DllImport(Library)] static extern IntPtr rostering_error_text(IntPtr error); // or its code, retryable …
    [DllImport(Library)] static extern void rostering_response_free(IntPtr response);
    [DllImport(Library)] static extern void rostering_error_free(IntPtr error);
    [DllImport(Library)] static extern void rostering_client_free(IntPtr client);
    [DllImport(Library)] static extern void rostering_config_free(IntPtr config);

    static int Main()
    {
        IntPtr error = IntPtr.Zero;
        IntPtr config = rostering_config_from_env(ref error);
        IntPtr client = rostering_client_open(config, ref error); // one for the program
        IntPtr jobs = rostering_list_jobs(client, 0, IntPtr.Zero, ref error);
        bool good = error == IntPtr.Zero;
        if (good)
        {
            var body = new byte[(int)rostering_response_body_length(jobs)];
            Marshal.Copy(rostering_response_body(jobs), body, 0, body.Length);
            Console.OpenStandardOutput().Write(body, 0, body.Length);
        }
        else Console.Error.WriteLine(Marshal.PtrToStringAnsi(rostering_error_text(error)));
        rostering_response_free(jobs);
        rostering_client_free(client);
        rostering_config_free(config);
        rostering_error_free(error);
        return good ? 0 : 1;
    }
}
