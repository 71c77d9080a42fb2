// Lists the jobs with the C library, by P/Invoke.
using System;
using System.Runtime.InteropServices;

static class Jobs
{
    const string Library = "librostering.so.0";

    [DllImport(Library)] [return: MarshalAs(UnmanagedType.I1)]
    static extern bool rostering_client_open_from_env(ref IntPtr client, ref IntPtr error);
    [DllImport(Library)] [return: MarshalAs(UnmanagedType.I1)]
    static extern bool rostering_list_jobs(IntPtr client, IntPtr call, ref IntPtr jobs, ref IntPtr error);
    [DllImport(Library)] static extern IntPtr rostering_response_body(IntPtr response);
    [DllImport(Library)] static extern UIntPtr rostering_response_body_length(IntPtr response);
    [DllImport(Library)] static extern IntPtr rostering_error_code_text(IntPtr error);
    [DllImport(Library)] static extern IntPtr rostering_error_message(IntPtr error);
    [DllImport(Library)] [return: MarshalAs(UnmanagedType.I1)] static extern bool rostering_error_retryable(IntPtr error);
    [DllImport(Library)] static extern void rostering_response_free(IntPtr response);
    [DllImport(Library)] static extern void rostering_error_free(IntPtr error);
    [DllImport(Library)] static extern void rostering_client_free(IntPtr client);

    static int Main()
    {
        IntPtr client = IntPtr.Zero, jobs = IntPtr.Zero, error = IntPtr.Zero;
        bool good = rostering_client_open_from_env(ref client, ref error) && // one for the program
            rostering_list_jobs(client, IntPtr.Zero, ref jobs, ref error);
        if (good)
        {
            var body = new byte[(int)rostering_response_body_length(jobs)];
            Marshal.Copy(rostering_response_body(jobs), body, 0, body.Length);
            Console.OpenStandardOutput().Write(body, 0, body.Length);
        }
        else Console.Error.WriteLine("{0}: {1} (retryable: {2})", Marshal.PtrToStringAnsi(rostering_error_code_text(error)),
            Marshal.PtrToStringAnsi(rostering_error_message(error)), rostering_error_retryable(error));
        rostering_response_free(jobs);
        rostering_error_free(error);
        rostering_client_free(client);
        return good ? 0 : 1;
    }
}
