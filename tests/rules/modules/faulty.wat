;; A plugin with the right contract, whose set_token needs too much memory, and whose clear_token
;; fails in another way each time. After the last one it succeeds, if it gets the state from before:
;; "abc".
(module
  (memory (export "memory") 1)
  (global $call (mut i32) (i32.const 0))
  ;; At 0, a result with the state and the output of version; at 64, one with the state alone.
  (data (i32.const 0) "\00\00\00\00\03\00\00\00\0e\00\00\00\00\00\00\00abc{\"contract\":1}")
  (data (i32.const 64) "\00\00\00\00\03\00\00\00\00\00\00\00\00\00\00\00abc")
  ;; Then results whose lengths are beyond the memory, or are so in all, or wrap around.
  (data (i32.const 128) "\00\00\00\00\ff\ff\ff\ff\00\00\00\00\00\00\00\00")
  (data (i32.const 192) "\00\00\00\00\03\00\00\00\00\00\00\01\00\00\00\00xyz")
  (data (i32.const 256) "\00\00\00\00\10\00\00\00\f0\ff\ff\ff\00\00\00\00xyz")
  (func (export "room") (param i32) (result i32) (i32.const 1024))
  (func (export "version") (param i32 i32) (result i32) (i32.const 0))
  (func $succeed (param i32 i32) (result i32) (i32.const 64))
  (export "configure" (func $succeed))
  (export "check" (func $succeed))
  (func (export "set_token") (param $state i32) (param $input i32) (result i32)
    (drop (memory.grow (i32.const 255))) ;; 16 MiB is the most
    (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then (unreachable)))
    (i32.const 64))
  (func $is (param $call i32) (result i32) (i32.eq (global.get $call) (local.get $call)))
  (func (export "clear_token") (param $state i32) (param $input i32) (result i32)
    (global.set $call (i32.add (global.get $call) (i32.const 1)))
    (if (call $is (i32.const 1)) (then (unreachable)))
    (if (call $is (i32.const 2)) (then (return (i32.const 128))))
    (if (call $is (i32.const 3)) (then (return (i32.const 192))))
    (if (call $is (i32.const 4)) (then (return (i32.const 256))))
    (if (call $is (i32.const 5)) (then (return (i32.const -8))))
    (if (i32.ne (local.get $state) (i32.const 3)) (then (unreachable)))
    (i32.const 64)))
